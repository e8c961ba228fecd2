// An empty face: the C library's own functions are taken over by linking this module.
