import { useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import { type ActionItem, ActionMenu } from '../../components/action-menu.js';
import { type Action, perform } from '../../components/copy.js';
import { reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { isChannel } from './contact-messages.js';
import { texts } from './texts.js';

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
      <small class="quiet policy" title={texts.openAMessageToReport}>
        {texts.statusesConnector}
      </small>
    );
  if (!data) return null;
  const { mode, read_after_ms, rules } = data.policy;
  const current =
    rules.length > 0
      ? texts.forFailures(rules.length)
      : mode === 'manual'
        ? texts.isManual
        : read_after_ms === null
          ? texts.isAutomatic
          : texts.withRead;
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
  const nextFails = (outcome: string) => change({ rules: [...rules, { outcome, times: 1 }] }, texts.theNextMessageToA);
  return (
    <>
      <ActionMenu
        label={texts.statusesOf(current, number.name)}
        look="button plain policy"
        copyTitle={texts.copyAChangeOfThe}
        run={run}
        items={[
          {
            id: 'automatic',
            label: texts.automatic,
            note: texts.sentAndDelivered,
            isChecked: mode === 'automatic' && read_after_ms === null,
            ...change({ mode: 'automatic', read_after_ms: null }, texts.statusesAreAutomatic),
          },
          {
            id: 'read',
            label: texts.automaticWithRead,
            note: texts.sentDeliveredReadAfter2,
            isChecked: mode === 'automatic' && read_after_ms !== null,
            ...change({ mode: 'automatic', read_after_ms: 2_000, swallow_delivered_ms: 0 }, texts.statusesAreAutomaticWith),
          },
          {
            id: 'manual',
            label: texts.manual,
            note: texts.youReportThemMessageBy,
            isChecked: mode === 'manual',
            ...change({ mode: 'manual' }, texts.statusesAreManual),
          },
          { id: 'fail', label: texts.failTheNextMessage, note: texts.acceptedThenFailed, ...nextFails('fail') },
          { id: 'refuse', label: texts.refuseTheNextMessage, note: texts.theSenderGetsAnError, ...nextFails('refuse') },
          { id: 'hold', label: texts.reportNothingForTheNext, ...nextFails('hold') },
          {
            id: 'none',
            label: texts.removeRulesForFailures,
            isDisabled: rules.length === 0,
            confirm: { title: texts.askRemoveRules, text: texts.whatRemovingRulesDoes, verb: texts.removeTheRules },
            ...change({ rules: [] }, texts.rulesRemoved),
          },
        ]}
      >
        {texts.statuses2(current)} <span aria-hidden="true">▾</span>
      </ActionMenu>
      {problem !== undefined && <span role="alert">{problem}</span>}
    </>
  );
}
