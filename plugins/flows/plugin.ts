import Joi from 'joi';
import { beforeCommit, definePlugin, type NumberRecord, permit } from '#core';
import { messagesExpired } from '#core/messaging';
import { flowAdminRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { sentFlowRoutes } from './conversation/routes.js';
import { createSentFlows } from './conversation/sent-flows.js';
import { flowErrors } from './errors.js';
import type { FlowOperator } from './operator/flow-operator.js';
import { withLocalAccounts } from './operator/local-accounts.js';
import { createLocalOperator } from './operator/local-operator.js';
import { downloadRoute } from './operator/routes.js';
import { previewRoute } from './preview/routes.js';
import { definitions, flowCounts, flowRecords, openings, previews, throttles } from './records.js';
import { flowRoutes } from './routes.js';
import { flowSearch } from './search.js';
import { flowCheck } from './sending-check.js';
import { createFlowValidation, validateTask } from './validate/flow-validation.js';
import type { ValidateOptions } from './validate/result.js';

/** Options of the flows plugin. */
export interface FlowsOptions {
  /** The flow operator, which stores and validates flows. Default: a local operator, which uses the platform's store. An operator with `hosts` has the flows of some accounts, and the local operator those of all others. With any other operator, the admin API has no flow routes. */
  readonly operator?: FlowOperator;
  /** Origin of the local operator's preview URLs, such as `https://host`; default: the platform's public URL. */
  readonly previewHost?: string;
  /** Origin of the local operator's download URLs, such as `https://host`; default: the platform's public URL. */
  readonly downloadHost?: string;
  /** Treatment of a Flow JSON version above the newest known version: `hint` reports a hint, `refuse` an error. */
  readonly newerVersions?: NonNullable<ValidateOptions['newerVersions']>;
}

const host = Joi.string().uri({ scheme: ['http', 'https'] });

/** Interactive forms: the Flows API, the local operator, previews, and the check of flow messages before sending. */
export const flows = definePlugin<FlowsOptions, 'newerVersions'>({
  name: 'flows',
  version: '0.1.0',
  permissions: {
    'flows.read': permit.everyone('See flows, check Flow JSON, and open previews.'),
    'flows.write': permit.authors('Create, change and delete flows.'),
    'flows.publish': permit.authors('Publish and deprecate flows.'),
    'flows.answer': permit.both('Open the form of a message, and answer it as the contact.'),
  },
  causes,
  options: Joi.object({
    operator: Joi.any(),
    previewHost: host,
    downloadHost: host,
    newerVersions: Joi.valid('hint', 'refuse').default('hint'),
  }),
  collections: { flows: flowRecords, counts: flowCounts, definitions, previews, throttles, openings },
  tasks: [validateTask],
  register(context, { operator: remote, ...options }) {
    const common = { errors: flowErrors, roots: ['/v1/flows'] };
    const validation = createFlowValidation(context.workers);
    const validate = async (definition: string | Uint8Array) => (await validation(definition, options)).errors;
    if (remote && !remote.hosts) {
      return { ...common, routes: flowRoutes(remote, context, validate), beforeSend: [{ check: flowCheck(remote) }] };
    }
    const operator = createLocalOperator(context, options);
    const sentFlows = createSentFlows(context, operator, options.previewHost);
    return {
      ...common,
      routes: [
        ...(remote ? flowRoutes(withLocalAccounts(remote, operator), context, validate) : flowRoutes(operator, context)),
        downloadRoute(operator),
        previewRoute(operator, context.clock),
        ...sentFlowRoutes(sentFlows, context),
      ],
      admin: flowAdminRoutes(operator, sentFlows),
      search: [flowSearch(operator)],
      on: [beforeCommit(messagesExpired, sentFlows.forget)],
      beforeSend: [{ check: flowCheck(remote ? withLocalAccounts(remote, operator) : operator, operator.ownerOf) }],
      // The linter calls this. A remote operator has no `forms`, because the linter makes no network calls. For channels the list is unknown:
      // their connectors may show flows that are stored elsewhere.
      forms: Object.assign(
        async ({ kind, account }: NumberRecord) =>
          kind === 'channel' || (await remote?.hosts?.(account ?? ''))
            ? undefined
            : new Set((await operator.list(account ?? '')).flows.map(({ id }) => id)),
        sentFlows.forms,
      ),
      personalData: sentFlows.personalData,
      start: () => operator.links.load(),
    };
  },
});

export {
  type Flow,
  type FlowAdmission,
  type FlowAsset,
  type FlowCategory,
  type FlowChange,
  type FlowHint,
  type FlowList,
  type FlowOperator,
  FlowOperatorError,
  type FlowPage,
  type FlowPreview,
  type FlowRefusal,
  FlowRefused,
  type FlowStatus,
  type FlowValidationError,
  flowCategories,
  flowStatuses,
  type NewFlow,
  type SentFlow,
} from './operator/flow-operator.js';
export type { FlowValidation } from './validate/result.js';
export { validateFlow } from './validate/validate-flow.js';
