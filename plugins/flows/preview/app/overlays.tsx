import { Sheet } from '../../../../core/web/sheet.js';
import type { Event } from './session.js';
import { texts } from './texts.js';

export function UrlDialog({ url, dispatch }: { url: string; dispatch: (event: Event) => void }) {
  const close = () => dispatch({ kind: 'dismiss' });
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <Sheet title={texts.openThisAddress} close={close} dir="ltr">
      <p class="address" dir="ltr">
        {url}
      </p>
      {!isWeb && <p class="quiet">{texts.thisIsNotAWeb}</p>}
      <div class="choices">
        {isWeb && (
          <a class="button" data-first href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
            {texts.openInANewTab}
          </a>
        )}
        <button type="button" class="button plain" onClick={close}>
          {texts.cancel}
        </button>
      </div>
    </Sheet>
  );
}
