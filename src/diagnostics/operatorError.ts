/** Error of the operator, such as invalid usage or Ctrl-C: it belongs to no host and ends the run. */
export class OperatorError extends Error {}
