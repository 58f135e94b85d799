/** The same for whoever writes the index and for whoever reads it.
 * @satisfies {import('minisearch').Options} */
export const searchOptions = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page', 'text'],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    // How to use a thing comes before why it is as it is.
    boostDocument: (/** @type {string} */ id) => (/^(decisions\/|project\/)/.test(id) ? 0.3 : 1),
    prefix: true,
    fuzzy: 0.15,
    combineWith: /** @type {const} */ ('AND'),
  },
};
