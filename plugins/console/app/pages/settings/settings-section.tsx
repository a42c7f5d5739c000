import type { ComponentChildren } from 'preact';
import { Failure, Loading } from '../../components/status.js';
import type { Query } from '../../data/query.js';
import { texts } from './texts.js';

interface SettingsSectionProps<T> {
  readonly query: Query<T>;
  /** The part that a platform without the route lacks, such as `clock that can be moved`. */
  readonly lacks: string;
  readonly children: (data: T) => ComponentChildren;
}

/** A part of the settings that is read from a route which not every platform has. */
export function SettingsSection<T>({ query: { data, error, reload }, lacks, children }: SettingsSectionProps<T>) {
  if (data) return <div class="part">{children(data)}</div>;
  if (error?.status === 404) return <p>{texts.thisPlatformHasNoA(lacks)}</p>;
  return error ? <Failure error={error} retry={reload} /> : <Loading />;
}
