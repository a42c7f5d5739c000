import { copy } from './copy.js';
import { Draw } from './icons.js';
import { Scrolled } from './scrolled.js';

/** Text to copy, such as a program or the lines of a file. */
export const Snippet = ({ text, label }: { text: string; label: string }) => (
  <figure class="snippet">
    <Scrolled label={label}>
      <code>{text}</code>
    </Scrolled>
    <button type="button" class="button outlined" onClick={() => void copy(text, label)}>
      <Draw name="copy" /> Copy<span class="unseen"> {label}</span>
    </button>
  </figure>
);

/** A token or secret that only this response contains. */
export const ShownOnce = ({ text, what, children }: { text: string; what: string; children?: preact.ComponentChildren }) => (
  <div class="callout ok shown-once" role="status">
    <p>
      <strong>Copy the {what} now.</strong> It is not shown again.
    </p>
    <div class="buttons">
      <code class="secret">{text}</code>
      <button type="button" class="button outlined" onClick={() => void copy(text, `the ${what}`)}>
        <Draw name="copy" /> Copy<span class="unseen"> the {what}</span>
      </button>
    </div>
    {children}
  </div>
);
