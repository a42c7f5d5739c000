import { Link } from 'wouter-preact';
import { Empty } from '../../components/status.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

/** Why there is no contact, and the next step. */
export function NoContacts({ numbers, posthorn }: { readonly numbers: readonly NumberRecord[]; readonly posthorn: string }) {
  return (
    <Empty title={texts.noContactYet}>
      <p>{texts.whoIsAContact}</p>
      {numbers.length === 0 ? (
        <>
          <p>{texts.noNumber}</p>
          <p class="buttons">
            <Link href="/numbers/new" class="button outlined">
              {texts.createANumber}
            </Link>
            <Link href="/channels/new" class="button outlined">
              {texts.createAChannel}
            </Link>
          </p>
        </>
      ) : (
        <>
          <p class="buttons">
            <Link href="/inbox" class="button outlined">
              {texts.writeFromAPhone}
            </Link>
          </p>
          <p class="quiet">{texts.fromATerminal(posthorn)}</p>
        </>
      )}
    </Empty>
  );
}
