"""Files of ``torch.cuda.memory._dump_snapshot``: what the CUDA allocator held and did."""
