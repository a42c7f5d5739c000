import { CopyAs, CopyButton } from '../../components/copy.js';
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
        <CopyButton text={text} label="the body" />
        <CopyAs action={actionOf(posting)} />
      </div>
    </div>
  );
}
