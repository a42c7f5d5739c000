import base64, hashlib, hmac, os, sys


def is_signed(secret: str, raw_body: bytes, header: str | None) -> bool:
    """Whether header, the X-Svc-Hook-Signature of a request, belongs to its raw body."""
    digest = hmac.new(secret.encode(), raw_body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest), (header or "").encode())


# POSTHORN_SECRET=… python3 signature.py SIGNATURE < body
if __name__ == "__main__":
    signed = is_signed(os.environ["POSTHORN_SECRET"], sys.stdin.buffer.read(), sys.argv[1])
    print("signed" if signed else "not signed")
