# 32-bit x86 with SSE2. The x87 holds more digits than a double has and rounds twice, which no bound here allows for.
include( ${CMAKE_CURRENT_LIST_DIR}/emulated.cmake )
emulated( i686 i386 i386-linux-gnu )
string( APPEND CMAKE_C_FLAGS_INIT " -msse2 -mfpmath=sse" )
