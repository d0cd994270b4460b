"""What rules see: loaders, step loops, copies, reads of the device, creations, with what was proven about them."""
