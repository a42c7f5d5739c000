import { CopyAs, copy } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { Scrolled } from '../../components/scrolled.js';
import { actionOf, type Posting } from './contact-messages.js';

/** A call with its body, as text that can be copied. */
export function PostingView({ posting }: { posting: Posting }) {
  const { path, connectorPath, payload } = posting;
  const text = JSON.stringify(payload, null, 2);
  return (
    <div class="posting">
      <p>
        {connectorPath === undefined ? 'The console posts for the local network:' : 'Your connector posts with a token of the channel:'}
        <br />
        <code>POST {connectorPath ?? `/admin/v1${path}`}</code>
      </p>
      <Scrolled label="Body of the call" dir="ltr">
        {text}
      </Scrolled>
      <div class="buttons">
        <button type="button" class="button outlined" onClick={() => void copy(text, 'the body')}>
          <Draw name="copy" /> Copy the body
        </button>
        <CopyAs action={actionOf(posting)} />
      </div>
    </div>
  );
}
