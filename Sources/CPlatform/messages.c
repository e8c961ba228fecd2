#include "CPlatform.h"

#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>

int agent_messages_open(const char *domain, const char *directory) {
  // Only these two matter for messages; numbers and dates stay unlocalized.
  if (!setlocale(LC_CTYPE, "") || !setlocale(LC_MESSAGES, "")) return 0;
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) return 0;
  return bindtextdomain(domain, directory) && bind_textdomain_codeset(domain, "UTF-8");
}

const char *agent_message(const char *domain, const char *text) {
  const char *found = dgettext(domain, text);
  return found == text ? 0 : found;
}

const char *agent_message_counted(const char *domain, const char *one, const char *other, unsigned long count) {
  const char *found = dngettext(domain, one, other, count);
  return found == one || found == other ? 0 : found;
}
