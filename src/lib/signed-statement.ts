import { isDeepStrictEqual } from 'node:util';
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject } from './json.ts';

/**
 * Why a signed statement, such as a receipt, is invalid; undefined if it is valid. Its `signature` is a compact JWS whose
 * payload is all of the other fields. Needs only the statement and the keys.
 */
export async function findStatementProblem(
  statement: JsonObject,
  keys: JSONWebKeySet,
): Promise<string | undefined> {
  const { signature, ...fields } = statement;
  if (typeof signature !== 'string') return 'it has no signature';
  try {
    const { payload, protectedHeader } = await compactVerify(signature, createLocalJWKSet(keys), {
      algorithms: ['EdDSA'],
    });
    const signed: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    if (!isJsonObject(signed) || signed.key_id !== protectedHeader.kid)
      return 'the signed payload names another key';
    return isDeepStrictEqual(signed, fields)
      ? undefined
      : `fields were modified: ${differences(signed, fields).join(', ')}`;
  } catch (fault) {
    if (fault instanceof errors.JWKSNoMatchingKey) return 'the signing key is not in the given key set';
    if (fault instanceof errors.JOSEError || fault instanceof SyntaxError) return 'the signature is invalid';
    throw fault;
  }
}

function differences(signed: JsonObject, fields: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(signed), ...Object.keys(fields)]);
  return [...names].filter((name) => !isDeepStrictEqual(signed[name], fields[name]));
}
