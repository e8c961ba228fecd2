// The part of libqrencode used by the QRCode module.
#ifndef AGENT_CQRENCODE_SHIM_H
#define AGENT_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
