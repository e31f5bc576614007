import { RemoteBus, type RemoteBusTimes } from '../../src/live/remote-bus.js';
import type { OpenWire } from '../../src/live/wire.js';
import type { BusEnds } from './bus-suite.js';

export interface RemoteEnds extends BusEnds {
  readonly publisher: RemoteBus;
  readonly subscriber: RemoteBus;
}

/** Two ends of a bus over a server, as two processes would have them, both connected. */
export async function openRemoteEnds(
  open: OpenWire,
  maxBytes: number,
  times?: Partial<RemoteBusTimes>,
): Promise<RemoteEnds> {
  const faults: unknown[] = [];
  const onError = (error: unknown) => faults.push(error);
  const publisher = new RemoteBus({ open, maxBytes, onError, times });
  const subscriber = new RemoteBus({ open, maxBytes, onError, times });
  await Promise.all([publisher.opened, subscriber.opened]);
  const close = async () => {
    await Promise.all([publisher.close(), subscriber.close()]);
  };
  return { publisher, subscriber, faults, close };
}
