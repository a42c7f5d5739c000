import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BrowserFileFactory } from '../../contract/browser.js';
import { NotFound } from '../../errors.js';

const HASH_DIGITS = 16;
const FOR_A_YEAR = 'public, max-age=31536000, immutable';

export const browserFile: BrowserFileFactory = (file, contentType) => {
  let known: { readonly bytes: Buffer; readonly hash: string } | undefined;
  /** On first use, so that platforms whose pages are never opened read no files. */
  function load() {
    if (known) return known;
    try {
      const bytes = readFileSync(file);
      known = { bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS) };
      return known;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new NotFound('file for browsers', file.pathname.split('/').at(-1)!, 'browser_file_missing');
    }
  }
  return {
    hash: () => load().hash,
    text: () => load().bytes.toString('utf8'),
    respond(h, hash) {
      const { bytes, hash: current } = load();
      return h
        .response(bytes)
        .type(contentType)
        .header('cache-control', hash === current ? FOR_A_YEAR : 'no-store')
        .header('cross-origin-resource-policy', 'cross-origin');
    },
  };
};
