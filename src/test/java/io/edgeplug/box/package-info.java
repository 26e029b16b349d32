/** A node in a box: the installed package on a real kernel, which QEMU emulates. See src/test/node/README.md. */
package io.edgeplug.box;
