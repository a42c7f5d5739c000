import type { Graph } from '../graph/client.js';
import { everyItem, type Page } from '../graph/paging.js';
import { listedTemplates, type NetworkTemplate } from './network-template.js';

const PAGE = 100;

/** All templates of a business account as the network has them. @throws GraphError, ServiceUnreachable */
export const listTemplates = (
  graph: Graph,
  { account, token, fields }: { account: string; token: string; fields: string },
): Promise<NetworkTemplate[]> =>
  everyItem((after) =>
    graph.call<Page<NetworkTemplate>>({
      method: 'GET',
      path: `/${account}/message_templates`,
      token,
      query: { fields, limit: PAGE, after },
      reads: listedTemplates,
    }),
  );
