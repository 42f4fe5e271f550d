import type { DatabaseType } from '../../contracts/choices.ts'
import type { HostDatabase, ServerGtids } from '../../contracts/provisioning.ts'
import type { Program, Server, startProgram } from './program.ts'

/** The database server of this host, as its option files tell. */
export type OwnDatabase = Pick<HostDatabase, 'folder' | 'version'> & {
  readonly engine: Engine
  readonly socket: string
  /** Owner of the data folder, by whose rights its files are changed. */
  readonly owner: { readonly uid: number; readonly gid: number }
  /** Service of systemd that runs it. */
  readonly unit: string
  readonly isRunning: boolean
  /** Paths of logs outside the data folder, each without the number at its end. */
  readonly logsElsewhere: readonly string[]
}

/** A program that was started. */
export type Started = Awaited<ReturnType<typeof startProgram>>

/** Means by which servers of one kind are made anew. All functions reject with a `StartError`. */
export type Engine = {
  /** Its program, which prints its options. */
  readonly server: 'mariadbd' | 'mysqld'
  /** Program by which root asks it over its socket; it has the name of the kind. */
  readonly client: DatabaseType
  /** Programs that a host needs besides, and the package with them. */
  readonly needs: { readonly programs: readonly string[]; readonly package: string }
  /** Prints the channels by which it follows others; nothing for none. */
  readonly channels: string
  /** Deletes its binary logs, and with them its own transactions. */
  readonly forget: string
  readonly readGtids: (own: Server) => Promise<ServerGtids>
  /** Returns why no copy can be made of a server that runs and has so many bytes; undefined where one can. */
  readonly obstacle: (own: Server, bytes: number) => Promise<string | undefined>
  /** Copies the data of a server that runs, has `use` read what a program prints of them, and leaves nothing beside them. */
  readonly copy: (
    own: OwnDatabase,
    { use, signal }: { readonly use: (program: Started) => Promise<void>; readonly signal: AbortSignal },
  ) => Promise<void>
  /** Returns the program that puts such a copy, from its input, into a folder. */
  readonly unpack: (folder: string) => Program
  /** Has a server start from a copy in a folder; returns its position, for `begin`. */
  readonly prepare: (own: OwnDatabase, folder: string, signal: AbortSignal) => Promise<string>
  /** Has a server that started with the copy begin there: read-only, and without transactions of its own. */
  readonly begin: (own: Server, position: string) => Promise<void>
  /**
   * Returns lines of sh that write the transactions of one source to the file `part` as statements, from the logs in `$@`; and
   * lines in that, each of which is there for the last of a range.
   */
  readonly statements: (
    source: string,
    ranges: readonly (readonly [from: number, to: number])[],
  ) => Statements
}

export type Statements = { readonly script: string; readonly marks: readonly string[] }
