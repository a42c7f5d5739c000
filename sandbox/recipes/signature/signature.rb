require "openssl"

# Whether header, the X-Svc-Hook-Signature of a request, belongs to its raw body.
def signed?(secret, raw_body, header)
  expected = [OpenSSL::HMAC.digest("SHA256", secret, raw_body)].pack("m0")
  OpenSSL.secure_compare(header.to_s, expected)
end

# POSTHORN_SECRET=… ruby signature.rb SIGNATURE < body
if $PROGRAM_NAME == __FILE__
  puts signed?(ENV.fetch("POSTHORN_SECRET"), $stdin.binmode.read, ARGV[0]) ? "signed" : "not signed"
end
