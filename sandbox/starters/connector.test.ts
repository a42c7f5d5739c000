import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isSigned, textOf } from './connector.js';

test('only bodies with the right signature are signed', () => {
  const body = Buffer.from('{"turn":{}}');
  const signature = createHmac('sha256', 'secret').update(body).digest('base64');
  assert.ok(isSigned(body, signature, 'secret'));
  assert.ok(!isSigned(body, signature, 'another secret'));
  assert.ok(!isSigned(body, undefined, 'secret'));
});

test('buttons become a text with their titles', () => {
  const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }];
  assert.equal(
    textOf({ type: 'interactive', interactive: { type: 'button', body: { text: 'Renew?' }, action: { buttons } } }),
    'Renew?\n1. Yes',
  );
});
