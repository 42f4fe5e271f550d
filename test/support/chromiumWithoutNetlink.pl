#!/usr/bin/perl
# Runs Debian's Chromium so that it does not hear of the network interfaces of the machine: it breaks off each connection that it
# is opening when one of them gets or loses an address (net::ERR_NETWORK_CHANGED), as with each lab that begins or ends beside a
# test. seccomp(2) answers EAFNOSUPPORT (97) to socket(2) for AF_NETLINK (16); Chromium then takes the network for one that stays.
use strict;

my ($socket, $prctl) = `uname -m` =~ /^aarch64/ ? (198, 167) : (41, 157);
my ($load, $equal, $return) = (0x20, 0x15, 0x06);
my ($allow, $refuse) = (0x7fff0000, 0x00050000 | 97);
# Instructions of struct sock_filter: code, steps if true, steps if false, value.
my $filter = pack('(SCCL)*',
  $load, 0, 0, 0,
  $equal, 0, 3, $socket,
  $load, 0, 0, 16,
  $equal, 0, 1, 16,
  $return, 0, 0, $refuse,
  $return, 0, 0, $allow);
my $program = pack('S x![P] P', length($filter) / 8, $filter);
# PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "prctl: $!";
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "prctl: $!";
exec '/usr/bin/chromium-headless-shell', @ARGV;
die "chromium-headless-shell: $!";
