# SPDX-License-Identifier: Apache-2.0
# find_package(hone) gives hone::hone, the library, where it is installed with its header, and
#
#	hone_add_kernels(<target> SOURCE <model, operator or list> DB <file>
#			 [FALLBACK] [THREADS <n>] [TARGET <name>] [OPTIONS <option of hone export>...])
#
# which compiles the kernels of SOURCE that DB has for this machine into <target>: it includes <hone_kernels.h>.
# <target>_KERNELS is their folder, where manifest.json says what is in them. They are made again when hone, the
# source, the database or this call has changed. A task of which no record fits is an error; with FALLBACK it gets
# a kernel that nobody tuned. HONE_EXECUTABLE is the program.
get_filename_component(_hone_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
get_filename_component(_hone_kernels_mk "${CMAKE_CURRENT_LIST_DIR}/../../hone/kernels.mk" ABSOLUTE)

find_program(HONE_EXECUTABLE hone HINTS "${_hone_prefix}/bin" DOC "The program hone")
find_program(HONE_MAKE NAMES gmake make DOC "GNU make, for kernels where the generator is another")
find_path(hone_INCLUDE_DIR hone.h HINTS "${_hone_prefix}/include")
find_library(hone_LIBRARY hone HINTS "${_hone_prefix}/lib" "${_hone_prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
  "${_hone_prefix}/lib64")
mark_as_advanced(HONE_EXECUTABLE HONE_MAKE hone_INCLUDE_DIR hone_LIBRARY)

if(NOT HONE_EXECUTABLE)
  set(hone_FOUND FALSE)
  set(hone_NOT_FOUND_MESSAGE "there is no program hone: install it, or give -DHONE_EXECUTABLE=PATH")
  return()
endif()
if(hone_LIBRARY AND hone_INCLUDE_DIR AND NOT TARGET hone::hone)
  add_library(hone::hone UNKNOWN IMPORTED)
  set_target_properties(hone::hone PROPERTIES
    IMPORTED_LOCATION "${hone_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${hone_INCLUDE_DIR}")
endif()

# Sets OUT to the absolute path of FILE, which a call has from its source folder.
function(_hone_path out file)
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

function(hone_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FALLBACK" "SOURCE;DB;THREADS;TARGET" "OPTIONS")
  set(call "hone_add_kernels(${target})")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "${call}: there is no target ${target}: call add_executable or add_library first")
  elseif(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: does not know '${arg_UNPARSED_ARGUMENTS}'")
  elseif(NOT arg_SOURCE)
    message(FATAL_ERROR "${call}: SOURCE is missing: a model, an operator or a list of operators")
  elseif(NOT arg_DB)
    message(FATAL_ERROR "${call}: DB is missing: the database that hone tune wrote")
  elseif(TARGET "${target}_kernels")
    message(FATAL_ERROR "${call}: ${target} has kernels already: name all operators in one list (*.tasks)")
  elseif(NOT HONE_MAKE)
    message(FATAL_ERROR "${call}: there is no make: install it, or give -DHONE_MAKE=PATH")
  elseif(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "${call}: kernels are run before they count, which cannot be for ${CMAKE_SYSTEM_PROCESSOR} "
      "here: build the folder that hone export writes on such a machine")
  endif()

  _hone_path(db "${arg_DB}")
  set(depends "${HONE_EXECUTABLE}" "${db}")
  set(source "${arg_SOURCE}")
  if(NOT source MATCHES "^[a-z0-9_+]+:")	# an operator's spec is no file
    _hone_path(source "${source}")
    list(APPEND depends "${source}")
  endif()
  set(options ${arg_OPTIONS})
  if(arg_FALLBACK)
    list(APPEND options --fallback)
  endif()
  if(arg_THREADS)
    list(APPEND options --threads "${arg_THREADS}")
  endif()
  if(arg_TARGET)
    list(APPEND options --target "${arg_TARGET}")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
  set(manifest "${folder}/manifest.json")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${manifest}" "${folder}/hone_kernels.h"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${manifest}"
    COMMAND "${HONE_EXECUTABLE}" export "${source}" --db "${db}" -o "${folder}" --complete
      --depfile "${folder}/manifest.d" ${options}
    DEPENDS ${depends}
    DEPFILE "${folder}/manifest.d"
    COMMENT "Kernels for ${target}"
    VERBATIM)
  # Make's own job server where there is one
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    set(make "$(MAKE)")
  else()
    include(ProcessorCount)
    ProcessorCount(jobs)
    set(make "${HONE_MAKE}" "-j${jobs}")
  endif()
  set(cc cc)	# where the project has no C
  if(CMAKE_C_COMPILER)
    set(cc "${CMAKE_C_COMPILER}")
  endif()
  add_custom_command(
    OUTPUT "${folder}/hone_kernels.a"
    COMMAND ${make} --no-print-directory -C "${folder}" -f "${_hone_kernels_mk}"
      "CC=${cc}" "AR=${CMAKE_AR}"
    DEPENDS "${manifest}" "${_hone_kernels_mk}"
    COMMENT "Compiling the kernels for ${target}"
    VERBATIM)
  add_custom_target("${target}_kernels" DEPENDS "${folder}/hone_kernels.a" "${folder}/hone_kernels.h")
  add_dependencies("${target}" "${target}_kernels")
  target_include_directories("${target}" PRIVATE "${folder}")
  target_link_libraries("${target}" PRIVATE "${folder}/hone_kernels.a" -fopenmp m)
  set("${target}_KERNELS" "${folder}" PARENT_SCOPE)
endfunction()
