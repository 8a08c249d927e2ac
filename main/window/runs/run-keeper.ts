import type { PushSink } from '../../contract/window/pushes.ts';
import type { Environment } from '../../paths.ts';

export interface KeeperOptions {
  environment: Environment;
  push: PushSink;
  report: (error: unknown) => void;
}

export class RunKeeper {
  constructor(_options: KeeperOptions) {}

  close(): void {}
}
