def pdf(root, out, tell):
    raise SystemExit
