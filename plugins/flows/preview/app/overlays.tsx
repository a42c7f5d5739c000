import { Sheet } from '../../../../core/web/sheet.js';
import type { Event } from './session.js';

export function UrlDialog({ url, dispatch }: { url: string; dispatch: (event: Event) => void }) {
  const close = () => dispatch({ kind: 'dismiss' });
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <Sheet title="Open this address?" close={close} dir="ltr">
      <p class="address" dir="ltr">
        {url}
      </p>
      {!isWeb && <p class="quiet">This is not a web address, so the preview does not open it.</p>}
      <div class="choices">
        {isWeb && (
          <a class="button" data-first href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
            Open in a new tab
          </a>
        )}
        <button type="button" class="button plain" onClick={close}>
          Cancel
        </button>
      </div>
    </Sheet>
  );
}
