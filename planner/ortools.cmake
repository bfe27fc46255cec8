# OR-Tools, for CP-SAT, as the target stint::ortools: a system-wide one where CMake finds it, else the
# official Python wheel, which carries the same libraries. The wheel is pinned by checksum, fetched
# once by pip, which only downloads, and unpacked into the build tree: nothing of the machine changes.
#
# The wheel has no headers. What we call is the C interface: SolveCpModelWithParameters() and
# SolveCpInterruptible(), which take and give protocol buffers.
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
    extern "C" void SolveCpModelWithParameters(const void*, int, const void*, int, void**, int*);
    int main() { SolveCpModelWithParameters("", 0, "", 0, nullptr, nullptr); }
  ]] STINT_SYSTEM_ORTOOLS_HAS_C_INTERFACE)
  set(${found} ${STINT_SYSTEM_ORTOOLS_HAS_C_INTERFACE} PARENT_SCOPE)
endfunction()

# Downloads the wheel for this processor into `folder`; its path goes to `wheel`.
function(stint_download_ortools folder wheel)
  find_program(STINT_PYTHON python3)
  message(STATUS "Downloading OR-Tools ${stint_ortools_version}")
  execute_process(
    COMMAND ${STINT_PYTHON} -m pip --disable-pip-version-check download --no-deps --only-binary=:all:
            --platform manylinux_2_28_${CMAKE_SYSTEM_PROCESSOR} --python-version 311
            --dest ${folder} ortools==${stint_ortools_version}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE fault)
  file(GLOB found ${folder}/ortools-*.whl)
  if(NOT result EQUAL 0 OR NOT found)
    string(REGEX REPLACE "^.*(ERROR: |No module)" "\\1" fault "${fault}")
    string(REGEX REPLACE "[\r\n].*" "" fault "${fault}")
    message(FATAL_ERROR "OR-Tools: pip could not download it (${fault}); ${stint_ortools_way_out}")
  endif()
  set(${wheel} ${found} PARENT_SCOPE)
endfunction()

# Unpacks the libraries of the wheel into `folder`, once.
function(stint_unpack_ortools folder)
  set(sha256 "${stint_ortools_sha256_${CMAKE_SYSTEM_PROCESSOR}}")
  if(NOT sha256)
    message(FATAL_ERROR
      "OR-Tools: no wheel is known for ${CMAKE_SYSTEM_PROCESSOR}; ${stint_ortools_way_out}")
  endif()
  set(wheel "${STINT_ORTOOLS_WHEEL}")
  if(NOT wheel)
    stint_download_ortools(${folder}/download wheel)
  elseif(NOT EXISTS ${wheel})
    message(FATAL_ERROR "OR-Tools: no such file ${wheel}; ${stint_ortools_way_out}")
  endif()
  file(SHA256 ${wheel} found)
  if(NOT found STREQUAL sha256)
    file(REMOVE_RECURSE ${folder})
    message(FATAL_ERROR "OR-Tools: the wheel's SHA-256 is ${found}; expected ${sha256}")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder}/wheel
    PATTERNS "ortools/.libs/*" "ortools.libs/*")
  file(REMOVE_RECURSE ${folder}/download)
  file(WRITE ${folder}/sha256 ${found})
endfunction()

function(stint_use_ortools_wheel)
  set(folder ${PROJECT_BINARY_DIR}/ortools-${stint_ortools_version})
  if(NOT EXISTS ${folder}/sha256)
    stint_unpack_ortools(${folder})
  endif()
  add_library(stint_ortools_wheel SHARED IMPORTED GLOBAL)
  set_target_properties(stint_ortools_wheel PROPERTIES
    IMPORTED_LOCATION ${folder}/wheel/ortools/.libs/libortools.so.9
    IMPORTED_SONAME libortools.so.9)
  # The wheel's libraries find each other beside themselves.
  target_link_options(stint_ortools_wheel INTERFACE -Wl,--allow-shlib-undefined)
  add_library(stint::ortools ALIAS stint_ortools_wheel)
endfunction()

if(STINT_ORTOOLS AND NOT TARGET stint::ortools)
  stint_find_system_ortools(stint_system_ortools)
  if(stint_system_ortools)
    add_library(stint::ortools ALIAS ortools::ortools)
  else()
    stint_use_ortools_wheel()
  endif()
endif()
