// @ts-check
import { createHmac, randomBytes } from 'node:crypto';
import { createPlaceholderReplacer, mapTexts } from 'weir-gateway/module';

/**
 * Sends placeholders to providers in place of e-mail addresses, and puts the addresses back into answers, streamed or
 * not, also into tool arguments. A placeholder is a keyed hash of its address, so that an account has the same one in
 * every call, and providers can cache what they have read.
 *
 * @type {import('weir-gateway/module').Module<{}>}
 */
const mask = {
  api: 1,
  name: 'mask',
  summary: 'Keeps e-mail addresses from providers.',
  version: '1.0.0',
  status: 'preview',
  protective: true,
  ifBroken: 'reject',
  touches: ['redaction', 'reply'],
  options: { '~standard': { version: 1, vendor: 'weir-module-mask', validate: () => ({ value: {} }) } },

  async handle(exchange, next, kit) {
    const key = await readKey(kit.store);
    /** @type {Map<string, string>} */
    const values = new Map();
    const request = mapTexts(exchange.request, (text) =>
      text.replaceAll(addresses, (address) => {
        const placeholder = `<EMAIL_${createHmac('sha256', key).update(address).digest('hex').slice(0, 12)}>`;
        values.set(placeholder, address);
        return placeholder;
      }),
    );
    if (values.size === 0) return next(exchange);
    kit.addNote({ hidden: values.size });
    const reply = await next(exchange.with({ request }));
    return kit.restore(reply, createPlaceholderReplacer(values));
  },
};

/** Begins where a run of such characters begins: otherwise, the time would grow with the square of its length. */
const addresses = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/**
 * The key of the account, made on first use. Of several calls at the same time, the first one stores its own.
 *
 * @param {import('weir-gateway/module').ModuleStore} store
 * @returns {Promise<string>}
 */
async function readKey(store) {
  const stored =
    (await store.get('key')) ??
    (await store.put('key', randomBytes(32).toString('hex'), 0)) ??
    (await store.get('key'));
  if (typeof stored?.value !== 'string') throw new Error('the key could not be stored');
  return stored.value;
}

export default mask;
