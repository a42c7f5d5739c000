<?php

/** Whether $header, the X-Svc-Hook-Signature of a request, belongs to its raw body. */
function is_signed(string $secret, string $rawBody, ?string $header): bool
{
    $expected = base64_encode(hash_hmac('sha256', $rawBody, $secret, true));
    return hash_equals($expected, $header ?? '');
}

// POSTHORN_SECRET=… php signature.php SIGNATURE < body
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $signed = is_signed(getenv('POSTHORN_SECRET'), file_get_contents('php://stdin'), $argv[1]);
    echo $signed ? 'signed' : 'not signed', "\n";
}
