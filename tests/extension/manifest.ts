/** The manifest, as far as the tests read it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

interface Command {
  command: string;
  title: string;
  category: string;
  icon?: string;
  enablement?: string;
}

interface Property {
  scope: string;
  default: unknown;
  markdownDescription: string;
}

interface Manifest {
  name: string;
  version: string;
  main: string;
  activationEvents: string[];
  engines: { vscode: string };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: Command[];
    menus: Record<string, { command: string; when?: string }[]>;
    configuration: { properties: Record<string, Property> };
  };
  devDependencies: Record<string, string>;
  dependencies?: Record<string, string>;
}

export const readText = (file: string) => readFileSync(path.join(root, file), 'utf8');

export const manifest = JSON.parse(readText('package.json')) as Manifest;

export const texts = JSON.parse(readText('package.nls.json')) as Record<string, string>;
