/** A moment in UTC for names of runs and files, to the second: `20260102T030405Z`. */
export const compactTime = (moment: Date): string => moment.toISOString().replaceAll(/[-:]|\.\d+/g, '')
