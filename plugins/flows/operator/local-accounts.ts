import type { FlowOperator } from './flow-operator.js';
import type { LocalOperator } from './local-operator.js';

/** An operator that forwards calls for the accounts that `remote` hosts, and gives all others to the local operator. */
export function withLocalAccounts(remote: FlowOperator, local: LocalOperator): FlowOperator {
  const of = async (account: string): Promise<FlowOperator> => ((await remote.hosts?.(account)) ? remote : local);
  return {
    create: async (account, flow) => (await of(account)).create(account, flow),
    update: async (account, id, change) => (await of(account)).update(account, id, change),
    upload: async (account, id, definition) => (await of(account)).upload(account, id, definition),
    publish: async (account, id) => (await of(account)).publish(account, id),
    delete: async (account, id) => (await of(account)).delete(account, id),
    deprecate: async (account, id) => (await of(account)).deprecate(account, id),
    list: async (account, page) => (await of(account)).list(account, page),
    assets: async (account, id) => (await of(account)).assets(account, id),
    preview: async (account, id, options) => (await of(account)).preview(account, id, options),
    async admit(tx, account, sent) {
      const operator = await of(account);
      return operator.admit ? operator.admit(tx, account, sent) : { admitted: true, hints: [] };
    },
  };
}
