# OR-Tools, for CP-SAT, as the target stint::ortools: a system-wide one where CMake finds it, else the
# official Python wheel, which carries the same libraries, and HiGHS, as stint_highs. The wheel is pinned by checksum, fetched
# once by pip, which only downloads, and unpacked into the build tree: nothing of the machine changes.
#
# The wheel has no headers. What we call is the C interface, SolveCpInterruptible() and its like,
# which take and give protocol buffers.
option(STINT_ORTOOLS "Use OR-Tools; OFF leaves out everything that needs it" ON)
set(STINT_ORTOOLS_WHEEL "" CACHE FILEPATH "An OR-Tools wheel at hand, for machines without a network")

set(stint_ortools_version 9.15.6755)
set(stint_ortools_sha256_x86_64 7a85a68ffb3fc1967e78624f40d3707aae459e82e3f2d9fe02e91788b3c7bf2a)
set(stint_ortools_sha256_aarch64 c3bcccd15ef3fc6ac10bfa11630ba6dfe437d4fd1374a5b33f4773b7fee0f877)

string(CONCAT stint_ortools_way_out "install OR-Tools, give a wheel at hand with "
  "-DSTINT_ORTOOLS_WHEEL=FILE, or do without it: -DSTINT_ORTOOLS=OFF")

# Sets `found` if the system has an OR-Tools with the C interface.
function(stint_find_system_ortools found)
  set(${found} OFF PARENT_SCOPE)
  find_package(ortools CONFIG QUIET GLOBAL)
  if(NOT TARGET ortools::ortools)
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ortools::ortools)
  check_cxx_source_compiles([[
    extern "C" void SolveCpInterruptible(void*, const void*, int, const void*, int, void**, int*);
    int main() { SolveCpInterruptible(nullptr, "", 0, "", 0, nullptr, nullptr); }
  ]] STINT_SYSTEM_ORTOOLS_HAS_C_INTERFACE)
  set(${found} ${STINT_SYSTEM_ORTOOLS_HAS_C_INTERFACE} PARENT_SCOPE)
endfunction()

function(stint_use_ortools_wheel)
  set(folder ${PROJECT_BINARY_DIR}/ortools-${stint_ortools_version})
  set(sha256 "${stint_ortools_sha256_${CMAKE_SYSTEM_PROCESSOR}}")
  set(fault "no wheel is known for ${CMAKE_SYSTEM_PROCESSOR}")
  if(sha256)
    stint_unpack_wheel(fault NAME ortools VERSION ${stint_ortools_version} SHA256 ${sha256}
      PLATFORM manylinux_2_28_${CMAKE_SYSTEM_PROCESSOR} WHEEL "${STINT_ORTOOLS_WHEEL}"
      FOLDER ${folder} PATTERNS "ortools/.libs/*" "ortools.libs/*")
  endif()
  if(fault)
    message(FATAL_ERROR "OR-Tools: ${fault}; ${stint_ortools_way_out}")
  endif()
  add_library(stint_ortools_wheel SHARED IMPORTED GLOBAL)
  set_target_properties(stint_ortools_wheel PROPERTIES
    IMPORTED_LOCATION ${folder}/ortools/.libs/libortools.so.9
    IMPORTED_SONAME libortools.so.9)
  # The wheel's libraries find each other beside themselves.
  target_link_options(stint_ortools_wheel INTERFACE -Wl,--allow-shlib-undefined)
  install(DIRECTORY ${folder}/ortools/.libs DESTINATION ${CMAKE_INSTALL_LIBDIR}/stint/ortools
    USE_SOURCE_PERMISSIONS)
  install(DIRECTORY ${folder}/ortools.libs DESTINATION ${CMAKE_INSTALL_LIBDIR}/stint
    USE_SOURCE_PERMISSIONS)
  add_library(stint::ortools ALIAS stint_ortools_wheel)
  # Of the version whose C interface is declared in solver/highs.cpp.
  add_library(stint_highs SHARED IMPORTED GLOBAL)
  set_target_properties(stint_highs PROPERTIES
    IMPORTED_LOCATION ${folder}/ortools/.libs/libhighs.so.1 IMPORTED_SONAME libhighs.so.1)
endfunction()

if(STINT_ORTOOLS AND NOT TARGET stint::ortools)
  stint_find_system_ortools(stint_system_ortools)
  if(stint_system_ortools)
    add_library(stint::ortools ALIAS ortools::ortools)
  else()
    stint_use_ortools_wheel()
  endif()
endif()
