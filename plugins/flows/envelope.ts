/** The `meta` of every response of the Flows API (Resources, "Response envelope"). */
export const meta = (status: number) => ({ version: 'v1' as const, api_status: 'stable' as const, http_code: status });

export const success = () => ({ meta: meta(200), success: true as const });
