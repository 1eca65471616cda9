#include "support/unit.h"
int main( void ) { return 0; }
