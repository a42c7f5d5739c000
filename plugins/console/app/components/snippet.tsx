import { CopyButton } from './copy.js';
import { Scrolled } from './scrolled.js';
import { texts } from './texts.js';

/** Text to copy, such as a program or the lines of a file. */
export const Snippet = ({ text, label }: { text: string; label: string }) => (
  <figure class="snippet">
    <Scrolled label={label}>
      <code>{text}</code>
    </Scrolled>
    <CopyButton text={text} label={label} />
  </figure>
);

/** A token or secret that only this response contains. */
export const ShownOnce = ({ text, what, children }: { text: string; what: string; children?: preact.ComponentChildren }) => (
  <div class="callout ok shown-once" role="status">
    <p>{texts.copyTheNowItIs(what)}</p>
    <div class="buttons">
      <code class="secret">{text}</code>
      <CopyButton text={text} label={texts.the(what)} />
    </div>
    {children}
  </div>
);
