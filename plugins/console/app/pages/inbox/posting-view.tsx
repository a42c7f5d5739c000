import { CopyAs, CopyButton } from '../../components/copy.js';
import { Scrolled } from '../../components/scrolled.js';
import { actionOf, type Posting } from './contact-messages.js';
import { texts } from './dialog-texts.js';

/** A call with its body, as text that can be copied. */
export function PostingView({ posting }: { posting: Posting }) {
  const { path, connectorPath, payload } = posting;
  const text = JSON.stringify(payload, null, 2);
  return (
    <div class="posting">
      <p>
        {connectorPath === undefined ? texts.theConsolePostsForThe : texts.yourConnectorPostsWithA}
        <br />
        <code>{`POST ${connectorPath ?? `/admin/v1${path}`}`}</code>
      </p>
      <Scrolled label={texts.bodyOfTheCall} dir="ltr">
        {text}
      </Scrolled>
      <div class="buttons">
        <CopyButton text={text} label={texts.theBody} />
        <CopyAs action={actionOf(posting)} />
      </div>
    </div>
  );
}
