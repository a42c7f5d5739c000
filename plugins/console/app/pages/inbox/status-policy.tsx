import { useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import { type ActionItem, ActionMenu } from '../../components/action-menu.js';
import { type Action, perform } from '../../components/copy.js';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { isChannel } from './contact-messages.js';

interface Policy {
  readonly mode: 'automatic' | 'manual';
  readonly read_after_ms: number | null;
  readonly rules: readonly object[];
}

/** How the network reports the statuses of a number's messages. Connectors report those of channels themselves. */
export function StatusPolicy({ number }: { number: NumberRecord }) {
  const path = `/network/numbers/${number.uuid}/policy`;
  const { data, reload } = useQuery<{ policy: Policy }>(isChannel(number) ? undefined : path);
  const [problem, setProblem] = useState<string>();
  if (isChannel(number))
    return (
      <small class="quiet policy" title="Open a message to report statuses in place of the connector">
        statuses: connector
      </small>
    );
  if (!data) return null;
  const { mode, read_after_ms, rules } = data.policy;
  const current =
    rules.length > 0
      ? `${rules.length === 1 ? 'rule' : 'rules'} for failures`
      : mode === 'manual'
        ? 'manual'
        : read_after_ms === null
          ? 'automatic'
          : 'with read';
  const change = (payload: object, announcement: string): { action: Action; announcement: string } => ({
    action: { method: 'PATCH', path, payload },
    announcement,
  });
  const run = ({ action, announcement }: ActionItem): void =>
    void perform(action).then(
      () => {
        setProblem(undefined);
        announce(announcement!);
        reload();
      },
      (error: unknown) => setProblem(reasonOf(error)),
    );
  const nextFails = (outcome: string) =>
    change({ rules: [...rules, { outcome, times: 1 }] }, 'The next message to a contact of this number fails');
  return (
    <>
      <ActionMenu
        label={`statuses: ${current}, of ${number.name}`}
        look="button plain policy"
        copyTitle="Copy a change of the statuses"
        run={run}
        items={[
          {
            id: 'automatic',
            label: 'Automatic',
            note: 'sent and delivered',
            isChecked: mode === 'automatic' && read_after_ms === null,
            ...change({ mode: 'automatic', read_after_ms: null }, 'Statuses are automatic'),
          },
          {
            id: 'read',
            label: 'Automatic, with read',
            note: 'sent, delivered, read after 2 s',
            isChecked: mode === 'automatic' && read_after_ms !== null,
            ...change({ mode: 'automatic', read_after_ms: 2_000, swallow_delivered_ms: 0 }, 'Statuses are automatic, with read'),
          },
          {
            id: 'manual',
            label: 'Manual',
            note: 'you report them, message by message',
            isChecked: mode === 'manual',
            ...change({ mode: 'manual' }, 'Statuses are manual'),
          },
          { id: 'fail', label: 'Fail the next message', note: 'accepted, then failed', ...nextFails('fail') },
          { id: 'refuse', label: 'Refuse the next message', note: 'the sender gets an error', ...nextFails('refuse') },
          { id: 'hold', label: 'Report nothing for the next message', ...nextFails('hold') },
          {
            id: 'none',
            label: 'Remove rules for failures',
            isDisabled: rules.length === 0,
            ...change({ rules: [] }, 'Rules removed'),
          },
        ]}
      >
        statuses: {current} <span aria-hidden="true">▾</span>
      </ActionMenu>
      {problem !== undefined && <span role="alert">{problem}</span>}
    </>
  );
}
