import t from 'tap';
import { normalAddress, plusAddress, plusKey } from '../../../../plugins/email/content/addresses.js';

t.test('addresses are compared in lower case, with the domain in A-labels', async (t) => {
  const addresses: readonly (readonly [written: string, normal: string | undefined])[] = [
    [' Ann.Lee+x@Example.COM ', 'ann.lee+x@example.com'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@example.com.', 'ann@example.com'],
    ['zoë@example.com', 'zoë@example.com'],
    ['ann', undefined],
    ['@example.com', undefined],
    ['ann@localhost', undefined],
    ['ann@exam ple.com', undefined],
    ['ann\r\nBcc: x@example.com', undefined],
    ['"a b"@example.com', undefined],
    ['a@b@example.com', undefined],
    [`${'a'.repeat(65)}@example.com`, undefined],
    ['', undefined],
  ];
  for (const [written, normal] of addresses) t.equal(normalAddress(written), normal, written);
});

t.test('a plus address names a key that only the server can have written', async (t) => {
  const address = plusAddress('Support@riverside.example', 'k3y9', 'secret')!;
  t.match(address, /^support\+k3y9\.[\da-f]{8}@riverside\.example$/);
  t.equal(plusKey(address.toUpperCase(), 'support@riverside.example', 'secret'), 'k3y9');
  t.equal(plusKey(address, 'support@riverside.example', 'other'), undefined);
  t.equal(plusKey(address, 'help@riverside.example', 'secret'), undefined);
  t.equal(plusKey(address.replace('k3y9', 'k3y8'), 'support@riverside.example', 'secret'), undefined);
  t.equal(plusKey('support@riverside.example', 'support@riverside.example', 'secret'), undefined);
  t.equal(plusKey('support+k3y9@riverside.example', 'support@riverside.example', 'secret'), undefined);
  t.equal(plusAddress('support@riverside.example', 'a'.repeat(60), 'secret'), undefined);
  t.equal(plusAddress('support@riverside.example', 'A-b', 'secret'), undefined);
});
