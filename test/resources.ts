/** What keeps this process alive, by kind. */
export function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** What there is more of than there was, of the kinds that a gateway opens. */
export function leftOver(before: ReadonlyMap<string, number>): readonly string[] {
  const kinds = [
    'TCPSocketWrap',
    'TCPServerWrap',
    'PipeWrap',
    'PipeServerWrap',
    'Timeout',
    'MessagePort',
    'FSEventWrap',
  ];
  const now = countResources();
  return kinds.filter((kind) => (now.get(kind) ?? 0) > (before.get(kind) ?? 0));
}
