"""The relay: a tiny process that holds the address programs are given, with the daemon behind it or without.

While the daemon runs, every request goes on to it. While it does not (stopped, killed, being upgraded), a request goes
straight to its provider, and the program does not notice; only nothing is captured. Standard library only.
"""
