/** The verdict of the own mail server on the sender: `pass` or `fail` by DMARC, else by SPF and DKIM; `none` if it says nothing. */
export type AuthResult = 'pass' | 'fail' | 'none';

/** Reads the headers `Authentication-Results` of one server (RFC 8601). Others may be written by the sender. */
export function authResult(headers: readonly string[], server: string): AuthResult {
  const own = headers.find((one) => one.trim().split(/[\s;]/)[0]!.toLowerCase() === server.toLowerCase());
  const resultOf = (method: string): string | undefined =>
    new RegExp(`(?:^|[;\\s])${method}\\s*=\\s*(\\w+)`, 'i').exec(own ?? '')?.[1]?.toLowerCase();
  const dmarc = resultOf('dmarc');
  if (dmarc === 'pass' || dmarc === 'fail') return dmarc;
  const others = [resultOf('dkim'), resultOf('spf')];
  if (others.includes('pass')) return 'pass';
  return others.includes('fail') ? 'fail' : 'none';
}
