import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Failure } from './status.js';
import { texts } from './texts.js';

/** Shows an error in place of a part that could not be rendered; without it the whole console would be blank. */
export function Boundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((thrown) => console.error(thrown));
  if (error !== undefined) return <Failure error={{ message: texts.thisPageCouldNotBe(String(error?.message ?? error)) }} retry={reset} />;
  return <>{children}</>;
}
