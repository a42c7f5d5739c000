import type { Json, JsonObject } from '#core/basics';
import { asText, isObject, listAt } from '../compile.js';
import type { BlockType, Run } from './block-type.js';

interface Group {
  readonly key: string;
  readonly name: string;
}

/** Adds the contact to groups, or removes it from some or all groups. The contact's field `groups` stores them. */
export const setGroupMembership: BlockType = {
  settings: { groups: [{ group_key: 'any', group_name: 'any' }], group_key: 'any', group_name: 'any', is_member: 'any', clear: 'any' },

  enter(run) {
    const { clear, is_member } = run.config;
    const member = clear !== true && is_member !== false;
    const before = groupsNow(run);
    const named = clear === true ? before.map(({ uuid, name }) => ({ key: asText(uuid), name: asText(name) })) : groupsOf(run.config);
    const changed = named.filter(({ key }) => before.some(({ uuid }) => uuid === key) !== member);
    const rest = before.filter(({ uuid }) => !changed.some(({ key }) => key === uuid));
    const added = member ? changed.map(({ key, name }) => ({ uuid: key, name })) : [];
    for (const { key, name } of changed) run.emit({ type: 'group_changed', group: key, name, member });
    if (changed.length > 0) run.setContactField('groups', [...rest, ...added]);
    return { kind: 'continue' };
  },

  check({ config }, report) {
    if (config.clear !== true && groupsOf(config).length === 0)
      report.error('config.groups', 'the list of groups is empty; name a group, or set clear to true');
  },
};

/** The groups of a config. Release candidate 4 has a list; earlier versions have a single group. */
function groupsOf(config: JsonObject): readonly Group[] {
  const given: readonly Json[] = Array.isArray(config.groups) ? listAt(config, 'groups') : [config];
  return given.flatMap((group) => {
    if (!isObject(group) || typeof group.group_key !== 'string' || group.group_key === '') return [];
    return { key: group.group_key, name: typeof group.group_name === 'string' ? group.group_name : group.group_key };
  });
}

const groupsNow = (run: Run): readonly JsonObject[] => {
  const groups = run.value('contact.groups', {});
  return Array.isArray(groups) ? (groups as readonly Json[]).filter(isObject) : [];
};
