# oneDNN, for kernels, as the target stint::onednn: a system-wide one of version 3 or newer where CMake
# finds it, else the official Python wheels of 3.2, pinned by checksum. Its threads are those of
# OpenMP, which we set to one. Version 2 has another interface and is not used.
option(STINT_ONEDNN "Use oneDNN; OFF leaves out the training of networks" ON)
set(STINT_ONEDNN_WHEEL "" CACHE FILEPATH "An onednn-cpu-gomp wheel at hand, for machines without a network")
set(STINT_ONEDNN_DEVEL_WHEEL "" CACHE FILEPATH "An onednn-devel-cpu-gomp wheel at hand, likewise")

set(stint_onednn_version 2023.2.0)  # of the wheels; oneDNN 3.2.0
set(stint_onednn_sha256 2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb)
set(stint_onednn_devel_sha256 9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284)

function(stint_unpack_onednn name sha256 wheel patterns)
  set(fault "no wheel is known for ${CMAKE_SYSTEM_PROCESSOR}")
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    stint_unpack_wheel(fault NAME ${name} VERSION ${stint_onednn_version} SHA256 ${sha256}
      PLATFORM manylinux1_x86_64 WHEEL "${wheel}" PATTERNS ${patterns}
      FOLDER ${PROJECT_BINARY_DIR}/${name}-${stint_onednn_version})
  endif()
  if(fault)
    message(FATAL_ERROR "oneDNN: ${fault}; install oneDNN 3, give wheels at hand with "
      "-DSTINT_ONEDNN_WHEEL=FILE and -DSTINT_ONEDNN_DEVEL_WHEEL=FILE, or do without it: -DSTINT_ONEDNN=OFF")
  endif()
endfunction()

function(stint_use_onednn_wheels)
  stint_unpack_onednn(onednn-cpu-gomp ${stint_onednn_sha256} "${STINT_ONEDNN_WHEEL}" "*/lib/libdnnl.so.3")
  stint_unpack_onednn(onednn-devel-cpu-gomp ${stint_onednn_devel_sha256} "${STINT_ONEDNN_DEVEL_WHEEL}" "*/include/*")
  set(unpacked ${PROJECT_BINARY_DIR}/onednn)
  set(library ${unpacked}-cpu-gomp-${stint_onednn_version}/onednn_cpu_gomp-${stint_onednn_version}.data/data/lib)
  add_library(stint_onednn_wheel SHARED IMPORTED GLOBAL)
  set_target_properties(stint_onednn_wheel PROPERTIES
    IMPORTED_LOCATION ${library}/libdnnl.so.3
    IMPORTED_SONAME libdnnl.so.3
    INTERFACE_INCLUDE_DIRECTORIES
      ${unpacked}-devel-cpu-gomp-${stint_onednn_version}/onednn_devel_cpu_gomp-${stint_onednn_version}.data/data/include)
  # Installed programs find it beside them.
  install(FILES ${library}/libdnnl.so.3 DESTINATION ${CMAKE_INSTALL_LIBDIR}/stint)
  add_library(stint::onednn ALIAS stint_onednn_wheel)
endfunction()

if(STINT_ONEDNN)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  find_package(dnnl 3 CONFIG QUIET GLOBAL)
  if(TARGET DNNL::dnnl AND DNNL_CPU_THREADING_RUNTIME MATCHES "OMP|SEQ")
    add_library(stint::onednn ALIAS DNNL::dnnl)
  else()
    stint_use_onednn_wheels()
  endif()
endif()
