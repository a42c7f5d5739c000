import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handshake, isSigned, update } from './integration.js';

test('the panel has only parts that the handshake declares', () => {
  const codes = handshake.capabilities.context_objects.map(({ code }) => code);
  assert.deepEqual(Object.keys(update({ chat: { owner: '+27820001001' }, messages: [] }).context_objects), codes);
});

test('a body without a signature is refused', () => assert.ok(!isSigned(Buffer.from('{}'), undefined, 'secret')));
