import t from 'tap';
import { TaskFailed, type TaskType } from '#core/ports';
import { performSkill } from '../../../plugins/journeys/effects/skill.js';
import { codeSkill, SKILL_LIMITS, type SkillResult, type SkillRun } from '../../../plugins/journeys/engine/skills/code-skill.js';
import type { EffectContext } from '../../../plugins/journeys/running/performers.js';

/** Workers on which the skill `slow` takes its whole limit, `stuck` does not react to its limit, and others are quick. */
function skillsUnderTest() {
  const runs: string[] = [];
  const ended: string[] = [];
  const held: (() => void)[] = [];
  const results = {
    output: { kind: 'output', output: 'done', logs: [], elapsedMs: 1 },
    timeout: { kind: 'failed', code: 'skill_timeout', reason: 'too long', logs: [], elapsedMs: SKILL_LIMITS.quickMs },
  } as const satisfies Record<string, SkillResult>;
  const workers = {
    async run(type: TaskType<SkillRun, SkillResult>, { source, limitMs }: SkillRun): Promise<SkillResult> {
      const isLong = (type as unknown) === codeSkill;
      runs.push(`${source}${isLong ? ' long' : ''}`);
      if (source.startsWith('quick') || source === 'mended') return results.output;
      if (isLong) {
        await new Promise<void>((resolve) => held.push(resolve));
        return { ...results.output, elapsedMs: limitMs };
      }
      if (source === 'stuck') throw new TaskFailed(type.name, 'timed out', 'it ran for too long');
      return results.timeout;
    },
  };
  const sources = new Map<string, string>();
  const perform = performSkill({ workers, ids: { uuid: () => 'id' }, clock: { now: () => new Date() } } as never, {
    find: async (_, id) => ({ name: id, source: sources.get(id) ?? id, enabled: true }),
  });
  const about = { number: 'number' } as EffectContext;
  const call = async (skill: string): Promise<void> => {
    await perform({ kind: 'skill', skill, arguments: {} } as never, about);
    ended.push(skill);
  };
  const release = async (): Promise<void> => {
    held.shift()!();
    await new Promise(setImmediate);
  };
  return { runs, ended, call, release, sources };
}

t.test('quick skills of a number do not wait for a skill that takes its whole limit', async (t) => {
  for (const name of ['slow', 'stuck']) {
    const { runs, ended, call, release } = skillsUnderTest();
    const all = [name, name, 'quick 1', name, 'quick 2'].map(call);
    await new Promise(setImmediate);
    t.strictSame(ended, ['quick 1', 'quick 2'], name);
    t.strictSame(
      runs.filter((run) => run === name),
      [name],
      'it runs among the quick ones once, until it is known',
    );
    t.strictSame(
      runs.filter((run) => run === `${name} long`),
      [`${name} long`],
      'slow skills run one at a time',
    );
    for (let i = 0; i < 3; i++) await release();
    await Promise.all(all);
    t.equal(ended.length, 5);
  }
});

t.test('a skill that has become quick is treated as one', async (t) => {
  const { runs, call, release, sources } = skillsUnderTest();
  const first = call('slow');
  await new Promise(setImmediate);
  await release();
  await first;
  sources.set('slow', 'mended');
  await call('slow');
  await call('slow');
  t.strictSame(runs, ['slow', 'slow long', 'mended long', 'mended']);
});
