import type { ComponentChildren } from 'preact';

/** Text that may be long: it scrolls within itself, also with the keyboard. */
export const Scrolled = ({
  label,
  look,
  dir,
  children,
}: {
  label: string;
  look?: string;
  dir?: 'auto' | 'ltr';
  children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
  <section class="scrolled" tabIndex={0} aria-label={label}>
    <pre class={look} dir={dir}>
      {children}
    </pre>
  </section>
);
