# SPDX-License-Identifier: Apache-2.0
# Installs the models as a library: find_package(cqsim) with the target cqsim::models, and
# pkg-config's cqsim. tb/link_example uses both.
#
#   cmake --install build/release --prefix SOMEWHERE
include(CMakePackageConfigHelpers)

set(CQSIM_LIBRARIES cqsim_models cqsim_rules)  # in the order of linking
set_target_properties(cqsim_models PROPERTIES EXPORT_NAME models)
set_target_properties(cqsim_rules PROPERTIES EXPORT_NAME rules)
set_target_properties(cqsim_options PROPERTIES EXPORT_NAME options)

# cqsim_options comes along because the libraries name it; nothing of it reaches their users.
install(TARGETS ${CQSIM_LIBRARIES} cqsim_options EXPORT cqsim)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cqsim
        FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cqsim)
install(EXPORT cqsim NAMESPACE cqsim:: FILE cqsim-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/cqsim-config.cmake.in cqsim-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(cqsim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cqsim-config.cmake
              ${PROJECT_BINARY_DIR}/cqsim-config-version.cmake
        DESTINATION ${package_dir})

# The prefix is named relative to the file, so that an install tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc /${pkgconfig_dir} /)
list(TRANSFORM CQSIM_LIBRARIES PREPEND -l OUTPUT_VARIABLE pc_libraries)
list(JOIN pc_libraries " " pc_libraries)
configure_file(cmake/cqsim.pc.in cqsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cqsim.pc DESTINATION ${pkgconfig_dir})
