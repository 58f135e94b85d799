import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type PaymentCredential, readCredential } from './payment-credential.ts';

const challenge = { id: 'mpp_1', realm: 'r', method: 'stripe', intent: 'charge', request: 'e30' };

function credentialOf(authorization: string): PaymentCredential {
  const parsedAuthorization = readCredential(authorization);
  assert.ok(parsedAuthorization.kind === 'credential', JSON.stringify(parsedAuthorization));
  return parsedAuthorization.credential;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('a payment credential', () => {
  for (const header of [
    'Payment id="mpp_1", credential="spt_2"',
    'payment credential=spt_2,id=mpp_1',
    'PAYMENT   id = "mpp_1" ,, credential="spt\\_2" , note="a, \\"b\\"",',
    'Payment ID="mpp_1",\tCredential="spt_2"',
  ])
    test(`is read from parameters: ${header}`, () => {
      const { challengeId, token, echoedChallenge } = credentialOf(header);
      assert.deepEqual([challengeId, token.reveal(), echoedChallenge], ['mpp_1', 'spt_2', undefined]);
    });

  test('is read from one token, with the challenge that it echoes', () => {
    const whole = { challenge: { ...challenge, expires: 'soon' }, source: 'x', payload: { spt: 'spt_2' } };
    for (const padding of ['', '==']) {
      const { challengeId, token, echoedChallenge } = credentialOf(`Payment ${encoded(whole)}${padding}`);
      assert.deepEqual([challengeId, token.reveal()], ['mpp_1', 'spt_2']);
      assert.deepEqual(echoedChallenge, { ...challenge, expires: 'soon' });
    }
  });

  for (const header of [
    'Payment',
    'Payment ,',
    'Payment id="mpp_1"',
    'Payment credential="spt_2"',
    'Payment id="", credential="spt_2"',
    'Payment id="mpp_1", credential=""',
    'Payment id="mpp_1" credential="spt_2"',
    'Payment id="mpp_1, credential="spt_2"',
    'Payment id="mpp_1", id="mpp_2", credential="spt_2"',
    'Payment id="mpp_1", credential="spt_2',
    'Payment id="mpp_1"; credential="spt_2"',
    'Payment spt_2',
    'Payment e30=',
    `Payment ${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}`,
    `Payment ${encoded([])}`,
    `Payment ${encoded({ challenge })}`,
    `Payment ${encoded({ challenge: { ...challenge, id: '' }, payload: { spt: 'x' } })}`,
    `Payment ${encoded({ challenge: { ...challenge, realm: undefined }, payload: { spt: 'x' } })}`,
    `Payment ${encoded({ challenge, payload: { spt: 7 } })}`,
    `Payment ${encoded({ challenge, payload: {} })}`,
  ])
    test(`is malformed: ${header}`, () => {
      assert.equal(readCredential(header).kind, 'malformed');
    });

  for (const header of ['', 'Bearer Payment', 'Basic e30=', 'Payments id="a", credential="b"'])
    test(`is none: ${header}`, () => {
      assert.equal(readCredential(header).kind, 'other');
    });
});
