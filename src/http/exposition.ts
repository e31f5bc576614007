/** A value, and which one of its metric. */
export interface Sample {
  readonly value: number;
  /** Of a histogram: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  /** From a bounded set, each of names and values that need no escaping. */
  readonly labels?: Readonly<Record<string, string | number>>;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics as Prometheus reads them (text format 0.0.4). */
export const expose = (metrics: readonly Metric[]): string => metrics.map(exposeOne).join('');

function exposeOne({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelled(labels)} ${numbered(value)}`,
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelled(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const numbered = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
