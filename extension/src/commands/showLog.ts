/** Open what the extension and the server have logged. */
import type { Command } from './command';

export const showLog: Command = ({ log }) => {
  log.show();
};
