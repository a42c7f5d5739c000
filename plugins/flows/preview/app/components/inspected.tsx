import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Component } from '../definition.js';
import { isShown, problemsOf } from '../inspection.js';
import { useStage } from '../stage.js';

/** A component that can be found from the editor, and its place in the editor from here; elsewhere just the component. */
export function Inspected({
  component,
  look,
  children,
  dir,
}: {
  component: Component;
  look: string;
  children: ComponentChildren;
  dir?: 'ltr' | 'rtl' | undefined;
}) {
  const { inspection } = useStage();
  const part = useRef<HTMLDivElement>(null);
  const path = inspection?.paths.get(component);
  const isMarked = inspection !== undefined && path !== undefined && isShown(inspection, path);
  useEffect(() => {
    if (isMarked) part.current?.firstElementChild?.scrollIntoView({ block: 'nearest' });
  }, [isMarked, inspection?.shown]);
  const problems = inspection && path !== undefined ? problemsOf(inspection, path) : [];
  return (
    <div ref={part} class={isMarked ? `${look} is-marked` : look} dir={dir} data-path={path}>
      {children}
      {problems.map(({ path: place, message, isError }) => (
        <button
          key={`${place} ${message}`}
          type="button"
          class={isError ? 'found is-error' : 'found'}
          dir="auto"
          onClick={() => inspection!.choose(place)}
        >
          {message}
        </button>
      ))}
    </div>
  );
}
